"""What needs a language model: typed tasks, and the models that perform them."""
