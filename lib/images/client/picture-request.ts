/**
 * The request for one picture, as text: the same prompt and model always give the same text, so that a
 * repeat keeps its idempotency key. Bytes are asked for, because an address would have to be fetched from
 * a host that then learns who looks.
 */
export function pictureRequest(input: { model: string; prompt: string }): string {
  return JSON.stringify({ model: input.model, prompt: input.prompt, n: 1, response_format: 'b64_json' })
}
