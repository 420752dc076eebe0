"""Verdicts and recordings for people: text, HTML, pictures. Data in, text out."""
