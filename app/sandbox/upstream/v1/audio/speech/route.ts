import { handleSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'
import { speakInSandbox } from '@/lib/sandbox-upstream/server/speak-in-sandbox'

export const POST = handleSandbox(speakInSandbox)
