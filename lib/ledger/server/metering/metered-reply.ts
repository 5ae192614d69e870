import 'server-only'

/** What a route answers with. */
export interface MeteredReply {
  status: number
  headers: Record<string, string>
  body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>
}

export function replyHeaders(
  holdId: string,
  contentType: string,
  headers: Record<string, string> = {},
): Record<string, string> {
  return {
    ...headers,
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-exchange-id': holdId,
    'x-request-id': holdId,
  }
}
