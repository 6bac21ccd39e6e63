/** A server address in the one form the client uses, with what was changed on the way. */
export type BaseUrl = { url: string; authorization?: string; notices: string[] }

const ENDPOINT_PATHS = /\/(chat\/completions|completions|models|responses|embeddings)$/
const OLLAMA_PATHS = /\/api(\/(chat|generate|tags|show|version))?$/
const VERSION_SEGMENT = /\/v\d+(beta|alpha)?\d*(\/|$)/i

/**
 * Reads the spellings that people use for a server's address.
 *
 * `host`, `host:port`, `:port`, with or without scheme, `/v1`, or the full path of an endpoint.
 * Returns null when no address can be read from it. `style` says what the path ends in:
 * `openai` = with a version segment, `ollama` = the bare origin.
 */
export function normaliseBaseUrl(
  text: string,
  style: 'openai' | 'ollama',
  defaultPort?: number,
): BaseUrl | null {
  const url = parse(text.trim(), defaultPort)
  if (url === null || url.hostname === '') return null
  const notices: string[] = []
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') {
    const loopback = url.hostname === '0.0.0.0' ? '127.0.0.1' : '[::1]'
    notices.push(`${url.hostname} is an address to listen on; asking ${loopback} instead`)
    url.hostname = loopback
  }
  let path = url.pathname.replace(/\/+/g, '/').replace(/\/$/, '')
  path = path.replace(ENDPOINT_PATHS, '')
  if (style === 'ollama') path = path.replace(OLLAMA_PATHS, '').replace(/\/v1$/, '')
  else if (!VERSION_SEGMENT.test(path)) path += '/v1'
  const authorization =
    url.username === '' ? undefined : `Basic ${btoa(userInfo(url.username, url.password))}`
  return {
    url: `${url.protocol}//${url.host}${path}`,
    ...(authorization === undefined ? {} : { authorization }),
    notices,
  }
}

function parse(text: string, defaultPort: number | undefined): URL | null {
  if (text === '') return null
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text)
  if (hasScheme && !/^https?:/i.test(text)) return null
  const filled = text.startsWith(':') ? `127.0.0.1${text}` : text
  try {
    const url = new URL(hasScheme ? filled : `http://${filled}`)
    const portGiven = /^(?:https?:\/\/)?(?:[^/@]*@)?(?:\[[^\]]*\]|[^/:]*):\d+/i.test(filled)
    if (!portGiven && defaultPort !== undefined && url.protocol === 'http:') {
      url.port = String(defaultPort)
    }
    return url
  } catch {
    return null
  }
}

function userInfo(username: string, password: string): string {
  return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
}
