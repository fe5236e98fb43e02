"""The graph as a picture: a layout that is the same for the same graph, and a drawing of it."""
