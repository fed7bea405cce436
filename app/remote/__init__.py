"""Engines on other machines, reached over HTTP: what a server is, what it can do, and its answers as our events.

server = recognise(ServerAddress.typed("gpu.local:8000"), key)
model = list_models(server)[0]
with closing(RemoteEngine(server, model).reply(request, stop)) as events:
    for event in events: ...                # as `Session.reply`
"""
