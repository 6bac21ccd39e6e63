/** One thing that doctor looked at. `remedy` says what to type or change. */
export type Finding = {
  topic: string
  level: 'good' | 'notice' | 'bad'
  found: string
  remedy?: string
}

export const good = (topic: string, found: string): Finding => ({ topic, level: 'good', found })
export const notice = (topic: string, found: string, remedy: string): Finding => ({
  topic,
  level: 'notice',
  found,
  remedy,
})
export const bad = (topic: string, found: string, remedy: string): Finding => ({
  topic,
  level: 'bad',
  found,
  remedy,
})
