import { LIBRARY_SET_UPS } from './library-set-ups'
import { json, type SetUpInput, shell, type ToolSetUp } from './set-up-input'

/** Shown in place of the API key until somebody wants their own filled in. */
export const KEY_PLACEHOLDER = 'YOUR_API_KEY'
/** Shown in place of a model until the list has loaded. */
export const MODEL_PLACEHOLDER = 'MODEL_ID'
const CONTEXT_LENGTH_EXAMPLE = 128_000

/**
 * Tools and libraries, each with the text to copy: a program, a file, commands, or the fields to fill in. Names of
 * fields and menus are those of the tools.
 */
export const SET_UPS = [
  ...LIBRARY_SET_UPS,
  {
    id: 'codex',
    name: 'Codex',
    text: ({ site, secret, modelId, contextLength }) => `# ~/.codex/config.toml
model = ${json(modelId)}
model_provider = "prepaid"
# context_length of the model in /v1/models: before that, Codex shortens the conversation
${contextLine(contextLength, length => `model_context_window = ${length}`)}

[model_providers.prepaid]
name = ${json(hostOf(site))}
base_url = ${json(`${site}/v1`)}
env_key = "PREPAID_API_KEY"
wire_api = "responses"
# Codex would send a request that fails up to 30 times
request_max_retries = 1
stream_max_retries = 1

# In the shell
export PREPAID_API_KEY=${shell(secret)}
codex`,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    text: ({ site, secret, modelId, contextLength }) => `export ANTHROPIC_BASE_URL=${shell(site)}
export ANTHROPIC_AUTH_TOKEN=${shell(secret)}
export ANTHROPIC_API_KEY=''
export ANTHROPIC_MODEL=${shell(modelId)}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${shell(modelId)}
# context_length of the model in /v1/models: before that, Claude Code shortens the conversation
${contextLine(contextLength, length => `export CLAUDE_CODE_MAX_CONTEXT_TOKENS=${length}`)}
# /model also lists this site's models of Anthropic
export CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY=1
claude`,
  },
  {
    id: 'opencode',
    name: 'opencode',
    text: ({ site, secret, modelId }) => `// opencode.json
{
  "provider": {
    "prepaid": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": ${json(`${site}/v1`)}, "apiKey": "{env:PREPAID_API_KEY}" },
      // With limits as in /v1/models, opencode shortens long conversations:
      // { "limit": { "context": 128000, "output": 8192 } }
      "models": { ${json(modelId)}: {} }
    }
  }
}

// In the shell
export PREPAID_API_KEY=${shell(secret)}
opencode --model ${shell(`prepaid/${modelId}`)}`,
  },
  {
    id: 'cursor',
    name: 'Cursor',
    text: ({ site, secret, modelId }) => `Cursor Settings > Models > API Keys
  OpenAI API Key: ${secret}
  Override OpenAI Base URL: ${site}/v1
  + Add model: ${modelId}`,
  },
  {
    id: 'cline',
    name: 'Cline',
    text: ({ site, secret, modelId }) => `Cline > Settings > API Configuration
  API Provider: OpenAI Compatible
  Base URL: ${site}/v1
  API Key: ${secret}
  Model ID: ${modelId}`,
  },
  {
    id: 'continue',
    name: 'Continue',
    text: ({ site, secret, modelId }) => `# ~/.continue/config.yaml
name: Prepaid
version: 1.0.0
schema: v1
models:
  - name: ${json(modelId)}
    provider: openai
    model: ${json(modelId)}
    apiBase: ${json(`${site}/v1`)}
    apiKey: ${json(secret)}`,
  },
  {
    id: 'zed',
    name: 'Zed',
    text: ({ site, secret, modelId, contextLength }) => `// settings.json
"language_models": {
  "openai_compatible": {
    "Prepaid": {
      "api_url": ${json(`${site}/v1`)},
      "available_models": [{ "name": ${json(modelId)}, "max_tokens": ${contextLength ?? CONTEXT_LENGTH_EXAMPLE} }]
    }
  }
}

// In the shell that starts Zed
export PREPAID_API_KEY=${shell(secret)}`,
  },
  {
    id: 'aider',
    name: 'aider',
    text: ({ site, secret, modelId }) => `export OPENAI_API_BASE=${shell(`${site}/v1`)}
export OPENAI_API_KEY=${shell(secret)}
aider --model ${shell(`openai/${modelId}`)}`,
  },
  {
    id: 'llm',
    name: 'llm',
    text: ({ site, secret, modelId }) => `# extra-openai-models.yaml, beside what "llm logs path" names
- model_id: "prepaid"
  model_name: ${json(modelId)}
  api_base: ${json(`${site}/v1`)}
  api_key_name: prepaid
  supports_tools: true
  supports_schema: true
  vision: true

# In the shell
llm keys set prepaid --value ${shell(secret)}
llm -m prepaid 'Hello'`,
  },
  {
    id: 'open-webui',
    name: 'Open WebUI',
    text: ({ site, secret }) => `docker run -d -p 8080:8080 -v open-webui:/app/backend/data \\
  -e OPENAI_API_BASE_URL=${shell(`${site}/v1`)} \\
  -e OPENAI_API_KEY=${shell(secret)} \\
  ghcr.io/open-webui/open-webui:main`,
  },
  {
    id: 'librechat',
    name: 'LibreChat',
    text: ({ site, secret, modelId }) => `# librechat.yaml
version: 1.2.8
endpoints:
  custom:
    - name: ${json(hostOf(site))}
      apiKey: "\${PREPAID_API_KEY}"
      baseURL: ${json(`${site}/v1`)}
      models:
        default: [${json(modelId)}]
        fetch: true

# .env
PREPAID_API_KEY=${secret}`,
  },
  {
    id: 'litellm',
    name: 'LiteLLM',
    text: ({ site, secret, modelId }) => `# config.yaml
model_list:
  - model_name: ${json(modelId)}
    litellm_params:
      model: ${json(`openai/${modelId}`)}
      api_base: ${json(`${site}/v1`)}
      api_key: os.environ/PREPAID_API_KEY

# In the shell; the master key is what your own clients send to LiteLLM
export LITELLM_MASTER_KEY="sk-$(openssl rand -hex 32)"
export PREPAID_API_KEY=${shell(secret)}
litellm --config config.yaml`,
  },
  {
    id: 'n8n',
    name: 'n8n',
    text: ({ site, secret, modelId }) => `Credentials > Add credential > OpenAI
  API Key: ${secret}
  Base URL: ${site}/v1

OpenAI Chat Model
  Model > By ID: ${modelId}

OpenAI > Message a Model
  Model > By ID: ${modelId}
  Options > Store: off`,
  },
] as const satisfies readonly ToolSetUp[]

/** All set-ups in Markdown, each under a heading of the third level. */
export function setUpText(input: SetUpInput): string {
  return SET_UPS.map(({ name, text }) => `### ${name}\n\n\`\`\`\n${text(input)}\n\`\`\`\n`).join('\n')
}

/** A comment with an example if the length is not known. */
function contextLine(contextLength: number | null, line: (length: number) => string): string {
  return contextLength === null ? `# ${line(CONTEXT_LENGTH_EXAMPLE)}` : line(contextLength)
}

function hostOf(site: string): string {
  return new URL(site).host
}
