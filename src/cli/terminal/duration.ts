/** Seconds as people say them: `42 s`, `9 min`, `5 h 12 min`, `2 d 3 h`. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'unknown'
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 90) return `${whole} s`
  const minutes = Math.round(whole / 60)
  if (minutes < 90) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
