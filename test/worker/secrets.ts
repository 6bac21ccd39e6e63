export const ORIGIN = 'https://failmap.test'
export const OPERATOR_TOKEN = 'operator-token-of-the-tests'
export const SANDBOX_URL = 'http://sandbox.test'
export const SANDBOX_TOKEN = 'sandbox-token-of-the-tests'

/** Root keys by epoch id; the byte that fills a key is of no meaning. */
export const ROOT_KEYS: Record<string, string> = {
  'open-1': 'AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE',
  'live-1': 'AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI',
  'room-1': 'AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM',
  'full-1': 'BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ',
}

/** RFC 8037 appendix A.1. */
const SIGNING_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

/** What wrangler.toml does not hold, as the worker's tests see it. */
export const SECRETS = {
  ENVIRONMENT: 'test',
  ORIGIN,
  SANDBOX_URL,
  SANDBOX_TOKEN,
  OPERATOR_TOKEN,
  EPOCH_KEYS: JSON.stringify(ROOT_KEYS),
  REPORT_SIGNING_KEY: JSON.stringify(SIGNING_KEY),
}
