import { type Messages, NextIntlClientProvider } from 'next-intl'
import { getMessages } from 'next-intl/server'
import type { ReactNode } from 'react'

type Namespace = keyof Messages

/** The namespaces that the header and the notices need on every page. */
const SHELL_NAMESPACES: readonly Namespace[] = [
  'common',
  'conversations',
  'shell',
  'credit',
  'errors',
  'lowBalance',
  'shortcuts',
  'storage',
]

interface ClientMessagesProps {
  /** Further namespaces that this page's client components use. */
  namespaces?: readonly Namespace[]
  children: ReactNode
}

/** Sends the browser only the messages that the page uses. */
export async function ClientMessages({ namespaces = [], children }: ClientMessagesProps) {
  const messages = pickMessages(await getMessages(), [...SHELL_NAMESPACES, ...namespaces])
  return <NextIntlClientProvider messages={messages}>{children}</NextIntlClientProvider>
}

/** The given keys of an object; missing keys are left out. */
function pickMessages<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Partial<Source> {
  const picked: Partial<Source> = {}
  for (const key of keys) if (key in source) picked[key] = source[key]
  return picked
}
