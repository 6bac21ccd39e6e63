import { PROBLEM_SLUGS } from '../../protocol/problem.ts'
import { MEDIA, routePath } from '../../protocol/routes.ts'
import {
  type OpenApiContent,
  type OpenApiOperation,
  type OpenApiResponse,
  openApiDocument,
  operationsOf,
} from './docs-document.ts'
import { SchemaLine, SchemaTable, schemaAnchor } from './docs-schema.tsx'
import { renderLayout } from './layout.tsx'
import type { Page } from './page.ts'
import { ProblemList } from './problem.tsx'

export type DocsPage = {
  /** The OpenAPI 3.1 document as served at /openapi.json. */
  document: unknown
}

/**
 * The API for people: every operation and shape of the OpenAPI document, without a script.
 *
 * @throws ZodError if the document is not OpenAPI; it is our own, so that is a bug.
 */
export function renderDocs({ document }: DocsPage): Page {
  const api = openApiDocument.parse(document)
  const operations = operationsOf(api)
  const shapes = Object.entries(api.components?.schemas ?? {})
  return renderLayout({
    title: 'API',
    description: 'Every operation and shape of the failmap API.',
    here: '/docs',
    children: (
      <>
        <p class="eyebrow">
          OpenAPI {api.openapi}, version {api.info.version}
        </p>
        <h1>{api.info.title}</h1>
        {api.info.description === undefined ? null : <p class="lede">{api.info.description}</p>}
        <p>
          The same in machine form: <a href="/openapi.json">openapi.json</a>. What the API can say
          no with: <a href="#refusals">refusals</a>.
        </p>
        <nav aria-label="Operations">
          <ul class="index">
            {operations.map(({ method, path }) => (
              <li>
                <a href={`#${operationAnchor(method, path)}`}>
                  <code>
                    {method} {path}
                  </code>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <section aria-labelledby="operations">
          <h2 id="operations">Operations</h2>
          {operations.map(({ method, path, operation }) => (
            <Operation method={method} path={path} operation={operation} />
          ))}
        </section>
        <ProblemList />
        <section aria-labelledby="shapes">
          <h2 id="shapes">Shapes</h2>
          {shapes.map(([name, schema]) => (
            <article id={schemaAnchor(name)}>
              <h3>{name}</h3>
              {schema.description === undefined ? null : <p>{schema.description}</p>}
              <SchemaTable name={name} schema={schema} />
            </article>
          ))}
        </section>
      </>
    ),
  })
}

function Operation(props: { method: string; path: string; operation: OpenApiOperation }) {
  const { method, path, operation } = props
  const parameters = operation.parameters ?? []
  const heading = `${method} ${path}`
  return (
    <article class="operation" id={operationAnchor(method, path)}>
      <h3>
        <code>{heading}</code>
      </h3>
      {operation.summary === undefined ? null : <p>{operation.summary}</p>}
      {operation.description === undefined ? null : <p class="quiet">{operation.description}</p>}
      <dl class="facts">
        {parameters.map((parameter) => (
          <>
            <dt>
              {parameter.in} <code>{parameter.name}</code>
            </dt>
            <dd>
              <SchemaLine schema={parameter.schema} />
              {parameter.description === undefined ? null : `. ${parameter.description}`}
            </dd>
          </>
        ))}
        {operation.requestBody === undefined ? null : (
          <>
            <dt>body</dt>
            <dd>
              <Content content={operation.requestBody.content} />
              {operation.requestBody.description ?? ''}
            </dd>
          </>
        )}
        {Object.entries(operation.responses ?? {}).map(([status, response]) => (
          <>
            <dt class="number">{status}</dt>
            <dd>
              <Answer response={response} />
            </dd>
          </>
        ))}
      </dl>
    </article>
  )
}

/** A refusal's description lists its slugs, each of which has a page. */
function Answer({ response: { description = '', content } }: { response: OpenApiResponse }) {
  if (content?.[MEDIA.problem] === undefined) {
    return (
      <>
        {description} <Content content={content} />
      </>
    )
  }
  return (
    <>
      {description.split(', ').map((word, index) => {
        const slug = PROBLEM_SLUGS.find((known) => known === word)
        return (
          <>
            {index === 0 ? '' : ', '}
            {slug === undefined ? word : <a href={routePath('problem', slug)}>{slug}</a>}
          </>
        )
      })}
    </>
  )
}

function Content({ content }: { content: OpenApiContent | undefined }) {
  return (
    <>
      {Object.entries(content ?? {}).map(([type, { schema }]) => (
        <span class="quiet">
          <code>{type}</code> <SchemaLine schema={schema} />{' '}
        </span>
      ))}
    </>
  )
}

function operationAnchor(method: string, path: string): string {
  return `${method}${path}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
