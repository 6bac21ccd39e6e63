type Routed = { routes: readonly { method: string; path: string }[] }

/** The methods that some route of the path answers; empty when the path is nobody's. */
export function allowedMethods(app: Routed, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.method !== 'ALL' && matches(route.path, path))
    .map((route) => route.method)
  return [...new Set(methods)].sort()
}

function matches(template: string, path: string): boolean {
  const wanted = template.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) =>
      part.startsWith(':') ? given[index] !== '' : part === given[index],
    )
  )
}
