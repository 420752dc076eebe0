"""How the cost of a micro-batch grows with the keys in state: measured for lesson 11."""
