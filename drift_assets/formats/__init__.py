"""Files that are not plain text, read into text: PDF, Word and HTML documents, and tables of documents."""
