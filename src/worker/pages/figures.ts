/** `0.613` as `61.3 %`. */
export function percent(share: number): string {
  return `${decimal(share * 100)} %`
}

/** One decimal, a true minus sign. */
export function decimal(value: number): string {
  return value.toFixed(1).replace('-', '\u2212')
}

/** `20480` as `20,480`. */
export function whole(count: number): string {
  return count.toLocaleString('en-US')
}
