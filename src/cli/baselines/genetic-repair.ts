/**
 * Repair by genetic programming, after GenProg (Le Goues, Nguyen, Forrest, Weimer: "GenProg: A
 * Generic Method for Automatic Software Repair", IEEE TSE 38(1), 2012), with the patch as genome
 * (Le Goues et al., "Representations and Operators for Improving Evolutionary Software Repair",
 * GECCO 2012). Statements are deleted, inserted, replaced and swapped with code of the same
 * module; a second kind of mutation changes expressions. Fitness is the number of visible checks
 * passed; a plausible genome is reduced to the changes that it needs.
 */
import type { Prompt } from '../../protocol/prompt.ts'
import { isWorthChecking } from './edits.ts'
import {
  cross,
  express,
  type Genome,
  type Material,
  mutate,
  readMaterial,
} from './genetic-operators.ts'
import { Draw } from './random.ts'
import type { Fitness, Trial } from './search.ts'
import type { Repair } from './template-repair.ts'

const POPULATION = 24
/** A generation in which the budget buys no new check ends the search. */
const MAX_IDLE_GENERATIONS = 5
const TOURNAMENT = 3

type Individual = { genome: Genome; module: string; fitness: Fitness }

/** null: no genome passed all visible checks within the budget. */
export async function repairByGenetics(
  prompt: Prompt,
  faulty: Fitness,
  trial: Trial,
): Promise<Repair> {
  const draw = new Draw(`failmap/baseline/genetic/1/${prompt.instance_id}`)
  const material = readMaterial(prompt.module, prompt.entry_point)
  const origin: Individual = { genome: [], module: prompt.module, fitness: faulty }
  let population: Individual[] = [origin]
  let generation = 0
  for (let idle = 0; idle < MAX_IDLE_GENERATIONS && !trial.isSpent; generation++) {
    const before = trial.checks
    const children = await assess(breed(population, origin, material, draw), trial)
    const plausible = children.find(({ fitness }) => fitness.isPlausible)
    if (plausible) {
      const reduced = await reduce(plausible, material, trial)
      const notes = [`generation=${generation + 1}`, `changes=${reduced.genome.length}`]
      return { module: reduced.module, notes }
    }
    population = survivors([...population, ...children])
    idle = trial.checks > before ? 0 : idle + 1
  }
  return { module: null, notes: [`generations=${generation}`] }
}

/** One generation of genomes whose modules parse; the faulty module itself stays in the pool. */
function breed(
  population: readonly Individual[],
  origin: Individual,
  material: Material,
  draw: Draw,
): { genome: Genome; module: string }[] {
  const children: { genome: Genome; module: string }[] = []
  // Mutants that do not parse cost no check, only another draw.
  for (let tries = 0; children.length < POPULATION && tries < POPULATION * 4; tries++) {
    const parent = select(population, draw) ?? origin
    const other = select(population, draw) ?? origin
    const crossed = draw.chance(1, 2) ? cross(parent.genome, other.genome, draw) : parent.genome
    const genome = mutate(crossed, material, draw)
    const module = express(material, genome)
    if (module !== material.source && isWorthChecking(module)) children.push({ genome, module })
  }
  return children
}

function select(population: readonly Individual[], draw: Draw): Individual | undefined {
  const rivals = Array.from({ length: TOURNAMENT }, () => draw.pick(population))
  return rivals.flatMap((rival) => rival ?? []).sort(byFitness)[0]
}

async function assess(
  children: readonly { genome: Genome; module: string }[],
  trial: Trial,
): Promise<Individual[]> {
  const running = children.map((child) => ({ ...child, fitness: trial.assess(child.module) }))
  const assessed: Individual[] = []
  for (const { genome, module, fitness } of running)
    if (fitness !== null) assessed.push({ genome, module, fitness: await fitness })
  return assessed
}

function survivors(all: readonly Individual[]): Individual[] {
  const distinct = [...new Map(all.map((individual) => [individual.module, individual])).values()]
  return distinct.sort(byFitness).slice(0, POPULATION)
}

/** More checks passed first, then fewer changes; the sort keeps the order of birth otherwise. */
function byFitness(left: Individual, right: Individual): number {
  return right.fitness.passed - left.fitness.passed || left.genome.length - right.genome.length
}

/** Takes out one change after the other as long as all visible checks still pass. */
async function reduce(
  individual: Individual,
  material: Material,
  trial: Trial,
): Promise<Individual> {
  for (const change of individual.genome) {
    const genome = individual.genome.filter((other) => other !== change)
    const module = express(material, genome)
    if (genome.length === 0 || !isWorthChecking(module)) continue
    const fitness = await trial.assess(module)
    if (fitness?.isPlausible) return reduce({ genome, module, fitness }, material, trial)
  }
  return individual
}
