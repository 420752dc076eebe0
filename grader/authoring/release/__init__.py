"""What `make release` does: the files of a release, each made from the commit that is checked out."""
