import { generateInSandbox } from '@/lib/sandbox-upstream/server/generate-in-sandbox'
import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'

export const POST = handleSandbox(generateInSandbox)
