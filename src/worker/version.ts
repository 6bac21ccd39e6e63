/** Version of the API's code as reports and /health state it; the same as in package.json. */
export const API_VERSION = '0.1.0'
