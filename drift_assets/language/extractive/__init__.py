"""The language tasks without a language model: names, statements and ranked source sentences."""
