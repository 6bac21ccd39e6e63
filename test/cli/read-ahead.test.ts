import { describe, expect, test } from 'vitest'
import { readAhead } from '../../src/cli/run/read-ahead.ts'
import { until } from './until.ts'

const items = [1, 2, 3, 4, 5, 6]

describe('readAhead', () => {
  test('gives every item once and in order, whoever prepares it', async () => {
    const made = readAhead(items, 2, (item) => item * 10)
    const got = [made.next().value, made.next().value]
    await new Promise((resolve) => setTimeout(resolve, 10))
    for (let next = made.next(); !next.done; next = made.next()) got.push(next.value)
    expect(got).toEqual([10, 20, 30, 40, 50, 60])
  })

  test('prepares the next ones while nobody asks, and no more than allowed', async () => {
    const prepared: number[] = []
    const made = readAhead(items, 3, (item) => prepared.push(item))
    made.next()
    expect(prepared).toEqual([1])
    await until(() => prepared.length === 4)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(prepared).toEqual([1, 2, 3, 4])
  })

  test('a fault is thrown to the one who wants the item, not before', async () => {
    const made = readAhead(items, 3, (item) => {
      if (item === 2) throw new Error('torn')
      return item
    })
    expect(made.next().value).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(() => made.next()).toThrow('torn')
  })
})
