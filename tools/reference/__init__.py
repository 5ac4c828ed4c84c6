"""The reference: one page a package, each public name with its docstring, in the order of its subject."""
