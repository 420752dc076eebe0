"""What each topic asks, by how hard it is."""
