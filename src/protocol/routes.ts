/** Every path of the API as a template, and the function that fills it. */
export const ROUTES = {
  keys: '/v1/keys',
  key: '/v1/keys/{id}',
  epochs: '/v1/epochs',
  epoch: '/v1/epochs/{id}',
  prompts: '/v1/epochs/{id}/prompts',
  submissions: '/v1/submissions',
  submission: '/v1/submissions/{id}',
  patches: '/v1/submissions/{id}/patches',
  report: '/v1/reports/{id}',
  reportJws: '/v1/reports/{id}.jws',
  jwks: '/.well-known/jwks.json',
  openapi: '/openapi.json',
  docs: '/docs',
  health: '/health',
  problem: '/problems/{slug}',
  home: '/',
  epochPage: '/epochs/{id}',
  reportPage: '/reports/{id}',
  verifyPage: '/verify',
} as const
export type RouteName = keyof typeof ROUTES

/** The path of a route with its one parameter filled in. */
export const routePath = (route: RouteName, parameter = ''): string =>
  ROUTES[route].replace(/\{(?:id|slug)\}/, encodeURIComponent(parameter))

/** Media types on the wire. */
export const MEDIA = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  problem: 'application/problem+json',
  jws: 'application/jose',
} as const
