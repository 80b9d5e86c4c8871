"""Reports: values and stored documents to text, JSON and Markdown. Pure."""
