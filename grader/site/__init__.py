"""The site: a landing page that teaches in a minute, and the course to read (`grader site`)."""
