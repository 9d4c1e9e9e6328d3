"""A long run of one server under many clients: good ones with a model beside them, such as die, and such as lie."""
