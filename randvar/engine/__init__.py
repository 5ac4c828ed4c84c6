"""How a law is computed: atoms in, atoms out. Nothing here knows a Var, an estimator or a plot."""
