"""A server of tools at an address, made with the SDK: `far_server.py PORT WAY`.

WAY is `open`; `sse`, as before 2025-03-26; `sign-in`, which lets everybody in who comes with a browser; `refuse`, which
lets nobody in; or `expire`, where what was granted ends at once and has to be renewed.
"""

import secrets
import sys
import time

from mcp.server import MCPServer
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

PORT, WAY = int(sys.argv[1]), sys.argv[2]
HERE = f"http://127.0.0.1:{PORT}"


class Doorman(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    def __init__(self) -> None:
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.tokens: dict[str, AccessToken] = {}
        self.renewals: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        if WAY == "refuse":
            return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state)
        code = secrets.token_hex(20)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        code = self.codes.pop(authorization_code.code)
        return self.grant(str(client.client_id), code.scopes, code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.renewals.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        return self.grant(str(client.client_id), scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)

    def grant(self, client_id: str, scopes: list[str], resource: str | None) -> OAuthToken:
        token, renewal = secrets.token_hex(20), secrets.token_hex(20)
        self.tokens[token] = AccessToken(token=token, client_id=client_id, scopes=scopes, resource=resource)
        self.renewals[renewal] = RefreshToken(token=renewal, client_id=client_id, scopes=scopes, resource=resource)
        ends = 1 if WAY == "expire" else 3600
        return OAuthToken(access_token=token, expires_in=ends, scope=" ".join(scopes), refresh_token=renewal)


def protected() -> MCPServer:
    told = {
        "issuer_url": HERE,
        "resource_server_url": f"{HERE}/mcp",
        "client_registration_options": {"enabled": True},
        "validate_token_resource": True,
    }
    return MCPServer("far", auth_server_provider=Doorman(), auth=AuthSettings.model_validate(told))


server = MCPServer("far") if WAY in ("open", "sse") else protected()


@server.tool()
def get_weather(city: str) -> str:
    "Tells the weather in a city."
    return "Sunny in " + city


server.run(transport="sse" if WAY == "sse" else "streamable-http", host="127.0.0.1", port=PORT)
