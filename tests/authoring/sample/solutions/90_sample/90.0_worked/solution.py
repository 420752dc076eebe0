def example(clicks):
    return clicks.where("bought").select("page")
