import { ACCOUNT_PATHS } from './account-paths'
import { IMAGE_PATHS, IMAGE_SCHEMAS } from './image-paths'
import { INFERENCE_PATHS } from './inference-paths'
import { type OpenApiNode, reference } from './operation'
import { SCHEMAS } from './schemas'
import { TOP_UP_PATHS } from './top-up-paths'

const header = (name: string) => ({ type: 'apiKey', in: 'header', name })

/** The public API in OpenAPI 3.1, under the operator's name and address. */
export function openApiDocument({ appName, site }: { appName: string; site: string }): OpenApiNode {
  return {
    openapi: '3.1.0',
    info: {
      title: `${appName} API`,
      version: '1.0.0',
      description:
        'Any AI model, paid per answer from a prepaid balance. OpenAI’s and PayPerQ’s clients work by changing their base URL. A credit_id (UUID) holds and manages a balance; an API key (sk-…) spends it.',
    },
    servers: [{ url: site }],
    paths: { ...INFERENCE_PATHS, ...IMAGE_PATHS, ...ACCOUNT_PATHS, ...TOP_UP_PATHS },
    components: {
      schemas: { ...SCHEMAS, ...IMAGE_SCHEMAS },
      responses: {
        Error: {
          description: 'What went wrong, in one shape everywhere',
          content: { 'application/json': { schema: reference('Error') } },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        xApiKey: header('x-api-key'),
        apiKey: header('api-key'),
        xCreditId: header('x-credit-id'),
      },
    },
  }
}
