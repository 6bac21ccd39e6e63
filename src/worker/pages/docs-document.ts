import { z } from 'zod'

const schemaShape = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaShape).optional()
  },
  get items() {
    return schemaShape.optional()
  },
  get oneOf() {
    return z.array(schemaShape).optional()
  },
  get anyOf() {
    return z.array(schemaShape).optional()
  },
  get allOf() {
    return z.array(schemaShape).optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaShape]).optional()
  },
})

const content = z.record(z.string(), z.looseObject({ schema: schemaShape.optional() }))

const response = z.looseObject({
  description: z.string().optional(),
  content: content.optional(),
})

const operation = z.looseObject({
  summary: z.string().optional(),
  description: z.string().optional(),
  tags: z.array(z.string()).optional(),
  security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schemaShape.optional(),
      }),
    )
    .optional(),
  requestBody: z
    .looseObject({ description: z.string().optional(), content: content.optional() })
    .optional(),
  responses: z.record(z.string(), response).optional(),
})

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const

/** The parts of an OpenAPI 3.1 document that the docs page shows; anything else in it is ignored. */
export const openApiDocument = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({
    title: z.string(),
    version: z.string(),
    description: z.string().optional(),
  }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ schemas: z.record(z.string(), schemaShape).optional() }).optional(),
})

export type OpenApiDocument = z.infer<typeof openApiDocument>
export type OpenApiSchema = z.infer<typeof schemaShape>
export type OpenApiOperation = z.infer<typeof operation>
export type OpenApiResponse = z.infer<typeof response>
export type OpenApiContent = z.infer<typeof content>

/** Operations in the document's order, each with its method and path. */
export function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const found = operation.optional().parse(item[method])
      return found === undefined ? [] : [{ method: method.toUpperCase(), path, operation: found }]
    }),
  )
}
