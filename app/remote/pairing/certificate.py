"""This computer's own certificate, and what trusts another one: TLS 1.3 with both sides' certificates pinned."""

import hashlib
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.core.files import create_atomic

_YEARS = 30
"""Clocks may be wrong, and a certificate is trusted because it is known, not because it is young."""


@dataclass(frozen=True, slots=True)
class OwnCertificate:
    """Of a Hearth, made once."""

    path: Path
    """The private key and the certificate, for this user alone: `ssl` reads them from nowhere else."""
    pem: str
    """The certificate."""

    @classmethod
    def at(cls, path: Path) -> "OwnCertificate":
        """What lies there, made where nothing does. Raises OSError, and ValueError for what is no certificate."""
        if not path.exists():
            create_atomic(path, _made())
        text = path.read_text("ascii")
        begin = text.index("-----BEGIN CERTIFICATE")
        return cls(path, text[begin:])

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.pem)

    def shown_to_all(self) -> ssl.SSLContext:
        """For a server to which anybody may speak, as while pairing."""
        context = _context(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path)
        return context

    def for_peers(self, certificates: Iterable[str]) -> ssl.SSLContext:
        """For a server to which these alone may speak; `load_verify_locations` adds one."""
        context = self.shown_to_all()
        context.verify_mode = ssl.CERT_REQUIRED
        for each in certificates:
            context.load_verify_locations(cadata=each)
        return context


@dataclass(frozen=True, slots=True)
class Pin:
    """Whom a client takes for its server, and which certificate it shows itself."""

    certificate: str
    """The server's, PEM."""
    own: str
    """Path of an `OwnCertificate`."""

    def context(self) -> ssl.SSLContext:
        """Raises OSError and ssl.SSLError."""
        context = _context(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # the certificate itself is known, wherever it is met
        context.load_verify_locations(cadata=self.certificate)
        context.load_cert_chain(self.own)
        return context


def unverified() -> ssl.SSLContext:
    """For a guest, who checks the certificate that is seen by the code."""
    context = _context(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def fingerprint_of(certificate: str | bytes) -> str:
    """sha256 hex of a certificate, PEM or DER. Raises ValueError."""
    der = ssl.PEM_cert_to_DER_cert(certificate) if isinstance(certificate, str) else certificate
    return hashlib.sha256(der).hexdigest()


def can_be_trusted(pem: str) -> bool:
    """Whether TLS takes it for a certificate."""
    try:
        _context(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem)
    except (ssl.SSLError, ValueError):
        return False
    return True


def is_certificate(pem: str) -> bool:
    """Whether it is one that another Hearth made, and nothing besides."""
    from cryptography import x509

    try:
        (found,) = x509.load_pem_x509_certificates(pem.encode())
    except ValueError:
        return False
    return found.issuer == found.subject


def _context(protocol: int) -> ssl.SSLContext:
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def _made() -> bytes:
    """A key of the curve P-256, which every TLS knows, and a certificate of it that says nothing of anybody."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Hearth")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=365))
        .not_valid_after(now + timedelta(days=365 * _YEARS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + made.public_bytes(serialization.Encoding.PEM)
