import { z } from 'zod'

const schemaNode = z.object({
  type: z.string().optional().catch(undefined),
  enum: z.array(z.unknown()).nonempty().optional().catch(undefined),
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  items: z.unknown().optional(),
})

/** Deeper than any handwritten schema; ends the recursion of a hostile one. */
const DEPTH_MAX = 8

/** A value that matches a JSON schema, as far as a practice model understands it. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  const parsed = schemaNode.safeParse(schema)
  if (!parsed.success || depth > DEPTH_MAX) return null
  const node = parsed.data
  if (node.enum) return node.enum[0]
  switch (node.type ?? (node.properties ? 'object' : 'string')) {
    case 'object':
      return Object.fromEntries(
        Object.entries(node.properties ?? {}).map(([name, value]) => [name, exampleOf(value, depth + 1)]),
      )
    case 'array':
      return [exampleOf(node.items, depth + 1)]
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return 'example'
  }
}
