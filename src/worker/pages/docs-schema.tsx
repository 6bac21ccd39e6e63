import type { OpenApiSchema } from './docs-document.ts'

const REFERENCE = '#/components/schemas/'

/** A schema in one line: its kind, its bounds, and links to the shapes it names. */
export function SchemaLine({ schema }: { schema: OpenApiSchema | undefined }) {
  if (schema === undefined) return <>any</>
  if (schema.$ref !== undefined) return <SchemaLink reference={schema.$ref} />
  if (schema.const !== undefined) return <code>{JSON.stringify(schema.const)}</code>
  if (schema.enum !== undefined) {
    return (
      <>
        {joined(
          schema.enum.map((value) => <code>{JSON.stringify(value)}</code>),
          ' or ',
        )}
      </>
    )
  }
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) {
    return (
      <>
        {joined(
          choices.map((choice) => <SchemaLine schema={choice} />),
          ' or ',
        )}
      </>
    )
  }
  if (schema.allOf !== undefined) {
    return (
      <>
        {joined(
          schema.allOf.map((part) => <SchemaLine schema={part} />),
          ' and ',
        )}
      </>
    )
  }
  if (schema.items !== undefined) {
    return (
      <>
        array of <SchemaLine schema={schema.items} />
      </>
    )
  }
  return <>{[kindOf(schema), ...boundsOf(schema)].join(', ')}</>
}

/** The properties of an object shape as a table; other shapes as their one line. */
export function SchemaTable({ name, schema }: { name: string; schema: OpenApiSchema }) {
  const properties = Object.entries(schema.properties ?? {})
  if (properties.length === 0) {
    return (
      <p>
        <SchemaLine schema={schema} />
      </p>
    )
  }
  const required = new Set(schema.required ?? [])
  return (
    <div class="scroll">
      <table>
        <caption class="visually-hidden">Properties of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Property</th>
            <th scope="col">Value</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {properties.map(([property, value]) => (
            <tr>
              <th scope="row">
                <code>{property}</code>
                {required.has(property) ? null : <span class="quiet small"> optional</span>}
              </th>
              <td>
                <SchemaLine schema={value} />
              </td>
              <td>{value.description ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The anchor of a shape on the docs page. */
export function schemaAnchor(name: string): string {
  return `shape-${name}`
}

function SchemaLink({ reference }: { reference: string }) {
  const name = reference.startsWith(REFERENCE) ? reference.slice(REFERENCE.length) : reference
  return <a href={`#${schemaAnchor(name)}`}>{name}</a>
}

function kindOf(schema: OpenApiSchema): string {
  const types = schema.type === undefined ? ['any'] : [schema.type].flat()
  return schema.format === undefined
    ? types.join(' or ')
    : `${types.join(' or ')} (${schema.format})`
}

function boundsOf(schema: OpenApiSchema): string[] {
  const bounds: string[] = []
  if (schema.minimum !== undefined) bounds.push(`at least ${schema.minimum}`)
  // Zod prints the largest safe integer as a bound of every integer, which tells a reader nothing.
  if (schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER) {
    bounds.push(`at most ${schema.maximum}`)
  }
  if (schema.minLength !== undefined) bounds.push(`${schema.minLength} characters or more`)
  if (schema.maxLength !== undefined) bounds.push(`${schema.maxLength} characters at most`)
  if (schema.pattern !== undefined) bounds.push(`matches ${schema.pattern}`)
  return bounds
}

function joined<Part>(parts: readonly Part[], word: string): (Part | string)[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [word, part]))
}
