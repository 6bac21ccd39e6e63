import type { SyntaxNode } from '@lezer/common'
import { applyEdits, type Edit, overlap } from './edits.ts'
import { focusFirst, reachableFrom } from './focus.ts'
import type { Draw } from './random.ts'
import { indentAt, lineStart, readSyntax, type Syntax, statementsOf } from './syntax.ts'
import { templateCandidates } from './template.ts'

/** A genome: changes of the faulty module that do not meet. Each is one or two edits. */
export type Genome = readonly (readonly Edit[])[]

/** What mutation draws from, read once for each task. */
export type Material = {
  source: string
  /** Statements of functions that the entry point reaches: where changes go. */
  targets: readonly SyntaxNode[]
  /** Statements of the whole module: what is inserted. Code is taken from the same module only. */
  ingredients: readonly SyntaxNode[]
  /** Changes inside of expressions. */
  expressions: readonly (readonly Edit[])[]
  syntax: Syntax
}

export function readMaterial(source: string, entryPoint: string): Material {
  const syntax = readSyntax(source)
  const reached = reachableFrom(syntax, entryPoint)
  const statements = focusFirst(statementsOf(syntax), reached)
  const targets = statements.filter(({ path }) => path[0] !== undefined && reached.has(path[0]))
  return {
    source,
    targets: targets.map(({ node }) => node),
    ingredients: statements.map(({ node }) => node),
    expressions: [...templateCandidates(source, entryPoint)].map(({ edits }) => edits),
    syntax,
  }
}

/** A genome with one more change. Changes that meet an earlier one take its place. */
export function mutate(genome: Genome, material: Material, draw: Draw): Genome {
  const change = drawChange(material, draw)
  if (change.length === 0) return genome
  return [...genome.filter((other) => !meets(other, change)), change]
}

/** Single-point crossover: the first part of one genome and the rest of the other. */
export function cross(left: Genome, right: Genome, draw: Draw): Genome {
  const head = left.slice(0, draw.below(left.length + 1))
  const tail = right.slice(draw.below(right.length + 1))
  return [...head, ...tail.filter((change) => !head.some((other) => meets(other, change)))]
}

export function express(material: Material, genome: Genome): string {
  return applyEdits(material.source, genome.flat())
}

/** Half of the changes are in expressions: most faults are smaller than a statement. */
function drawChange(material: Material, draw: Draw): readonly Edit[] {
  if (draw.chance(1, 2)) return draw.pick(material.expressions) ?? []
  const target = draw.pick(material.targets)
  const other = draw.pick(material.ingredients)
  if (!target || !other) return []
  const whole = { from: target.from, to: target.to }
  switch (draw.below(4)) {
    case 0:
      return [{ ...whole, text: 'pass' }]
    case 1:
      return insertion(material, target, other)
    case 2:
      return [{ ...whole, text: moved(material, other, target) }]
    default:
      return exchange(material, target, other)
  }
}

function insertion(material: Material, target: SyntaxNode, other: SyntaxNode): Edit[] {
  const at = lineStart(material.source, target.from)
  const indent = indentAt(material.source, target)
  return [{ from: at, to: at, text: `${indent}${moved(material, other, target)}\n` }]
}

function exchange(material: Material, left: SyntaxNode, right: SyntaxNode): Edit[] {
  const edits = [
    { from: left.from, to: left.to, text: moved(material, right, left) },
    { from: right.from, to: right.to, text: moved(material, left, right) },
  ]
  const [first, second] = edits
  return first && second && !overlap(first, second) ? edits : []
}

/** The text of a statement at the indent of another place. */
function moved({ source, syntax }: Material, node: SyntaxNode, place: SyntaxNode): string {
  const [own, wanted] = [indentAt(source, node), indentAt(source, place)]
  return syntax
    .text(node)
    .split('\n')
    .map((line, index) =>
      index > 0 && line.startsWith(own) ? wanted + line.slice(own.length) : line,
    )
    .join('\n')
}

function meets(left: readonly Edit[], right: readonly Edit[]): boolean {
  return left.some((edit) => right.some((other) => overlap(edit, other)))
}
