/** Takes secrets out of a text that goes to a person or a file. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (clean, secret) => (secret.length < 6 ? clean : clean.replaceAll(secret, '[key]')),
    text,
  )
}
