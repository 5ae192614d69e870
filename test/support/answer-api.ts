const CREDIT_PATH = /^\/api\/payments\/account\/[^/]*\/credit$/

/**
 * The API as Next mounts it, with the handler that has a file of its own. Loaded when it is first asked, so
 * that a test can put something in the place of the services before.
 */
export async function answerApi(request: Request): Promise<Response> {
  if (!CREDIT_PATH.test(new URL(request.url).pathname))
    return (await import('@/lib/api/application')).api(request)
  const { GET } = await import('@/app/api/payments/account/[creditId]/credit/route')
  return GET(request)
}
