"""Who is removed is out: with the connections that it has, and whichever Hearth of this home removed it."""

import asyncio
import socket
import time
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.paths import Paths
from app.remote.pairing.certificate import OwnCertificate
from app.remote.pairing.peers import Peer
from app.services.remote.paired_computers import PairedComputers


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths(tmp_path, tmp_path, tmp_path)


@pytest.fixture
def laptop(tmp_path: Path) -> Peer:
    return Peer(OwnCertificate.at(tmp_path / "laptop.pem").pem, "LAPTOP")


def test_open_connections_of_who_is_removed_are_cut(paths: Paths, laptop: Peer) -> None:
    computers = PairedComputers(paths)
    computers.add(laptop)

    async def cut() -> bytes:
        asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            computers.met(laptop.fingerprint, writer.transport, asyncio.get_running_loop())
            asked.set_result(None)

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            await asked
            await asyncio.to_thread(computers.remove, laptop.fingerprint)
            try:
                return await reader.read()
            except ConnectionResetError:
                return b""
            finally:
                writer.close()

    assert asyncio.run(asyncio.wait_for(cut(), 60)) == b""
    assert not computers.knows(laptop.fingerprint)


def test_when_one_asked_last_is_kept(paths: Paths, laptop: Peer) -> None:
    computers = PairedComputers(paths)
    computers.add(laptop)
    assert computers.all[0].used == 0.0
    before = time.time()

    async def ask() -> None:
        loop = asyncio.get_running_loop()
        reading, writing = socket.socketpair()
        with reading:
            transport, _ = await loop.create_connection(asyncio.Protocol, sock=writing)
            computers.met(laptop.fingerprint, transport, loop)
            transport.close()
        await loop.shutdown_default_executor()

    asyncio.run(ask())
    assert computers.all[0].used >= before
    (again,) = PairedComputers(paths).all
    assert again.used == computers.all[0].used
    assert again.since == laptop.since


def test_several_hearths_of_a_home_agree(paths: Paths, laptop: Peer) -> None:
    window, serve = PairedComputers(paths), PairedComputers(paths)
    serve.context()
    window.add(laptop)
    assert serve.knows(laptop.fingerprint)
    assert [each.name for each in serve.all] == ["LAPTOP"]
    serve.remove(laptop.fingerprint)
    assert not window.knows(laptop.fingerprint)


def test_a_damaged_certificate_is_said(paths: Paths) -> None:
    paths.certificate.write_text("-----BEGIN CERTIFICATE-----\njunk\n-----END CERTIFICATE-----\n")
    with pytest.raises(UserError, match="is no certificate of Hearth's"):
        PairedComputers(paths).context()
