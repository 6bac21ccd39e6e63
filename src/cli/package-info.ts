/** Name and version of the client, as manifests and `--version` state them. */
export const CLIENT = { name: 'failmap', version: '0.1.0' } as const
