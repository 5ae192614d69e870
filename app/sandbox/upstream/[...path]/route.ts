import { missingInSandbox } from '@/lib/sandbox-upstream/server/handle-sandbox'

export {
  missingInSandbox as DELETE,
  missingInSandbox as GET,
  missingInSandbox as PATCH,
  missingInSandbox as POST,
  missingInSandbox as PUT,
}
