import { programScopes } from '../access/program-types.ts'
import type { Config } from '../base/config.ts'
import { publicUrl } from '../base/public-url.ts'

/** Paths of OAuth. The page of a person is part of the console, where they log in. */
export const oauthPaths = {
  resource: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server',
  authorize: '/console/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
}

type Parts = Pick<Config, 'publicUrl' | 'host' | 'port'>

/** Returns the identifier of the only resource of tokens (RFC 8707). */
export function resourceUrl(config: Parts): string {
  return `${publicUrl(config)}/mcp`
}

/** Returns the URL of the metadata of `/mcp`, whose path ends with that of the resource (RFC 9728, 3.1). */
export function resourceMetadataUrl(config: Parts): string {
  return `${publicUrl(config)}${oauthPaths.resource}/mcp`
}

/** Describes `/mcp` (RFC 9728). */
export function resourceMetadata(config: Parts) {
  return {
    resource: resourceUrl(config),
    authorization_servers: [publicUrl(config)],
    scopes_supported: programScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Holdfast',
    resource_documentation: `${publicUrl(config)}/guides/agents`,
  }
}

/** Describes the authorization server (RFC 8414). */
export function serverMetadata(config: Parts) {
  const url = publicUrl(config)
  return {
    issuer: url,
    authorization_endpoint: `${url}${oauthPaths.authorize}`,
    token_endpoint: `${url}${oauthPaths.token}`,
    registration_endpoint: `${url}${oauthPaths.register}`,
    revocation_endpoint: `${url}${oauthPaths.revoke}`,
    scopes_supported: programScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${url}/guides/agents`,
  }
}
