"""Five hundred questions to a real llama-server, through a proxy that does something else to each answer.

    python -m tests.bench.serving.server_faults LLAMA_SERVER [--questions N]

Exits with an error where a word is lost, a question takes more than forty seconds, or a failure has no sentence.
"""

import argparse
import http.client
import random
import tempfile
from dataclasses import replace
from pathlib import Path

from app.remote.engine import RemoteEngine
from app.remote.recognise import recognise
from tests.bench.serving.servers import of_llama_server
from tests.remote.fault_run import FaultyProxy, ask_through
from tests.remote.scripted_server import Asked, served
from tests.server_checks import answer, question


def _through(port: int, asked: Asked) -> bytes:
    """The whole answer of the server behind, as one that ends with its connection."""
    upstream = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    upstream.request(asked.method, asked.path, asked.body, {"Content-Type": "application/json"})
    response = upstream.getresponse()
    head = f"HTTP/1.1 {response.status} X\r\nContent-Type: {response.getheader('Content-Type')}\r\nConnection: close"
    return head.encode() + b"\r\n\r\n" + response.read()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--questions", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, of_llama_server(asked.program, Path(folder)) as subject:
        server, model = recognise(subject.running.address, ""), subject.model
        told = answer(RemoteEngine(server, model), question()).text
        proxy = FaultyProxy(lambda each: _through(subject.running.port, each), random.Random(31))
        with served(proxy):
            through = replace(server, address=proxy.address)
            print(ask_through(proxy, through, model, question(), told, asked.questions))


if __name__ == "__main__":
    main()
