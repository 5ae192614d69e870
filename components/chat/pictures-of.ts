import type { Message } from '@/lib/chat/domain/conversation'

/** Addresses of a message's pictures. */
export function picturesOf({ content }: Message): readonly string[] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'image_url' ? [part.image_url.url] : []))
}
