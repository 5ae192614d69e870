import type { BrowserExchanges } from '@/lib/exchange/client/browser-exchanges'
import type { ExchangeWorld } from '@/lib/exchange/client/page-world'

interface ExchangeParts {
  /** The code that runs exchanges, once it is loaded. */
  loaded: { readonly BrowserExchanges: typeof BrowserExchanges; readonly pageWorld: ExchangeWorld } | null
  /** Loads it. */
  load: () => Promise<unknown>
}

/**
 * In the chat, ask-question.ts brings the code that runs exchanges. Other pages import it by itself, for which the
 * bundler makes a second file. Without a network that file cannot be fetched, and yet a stored question must be sent or
 * wait.
 */
export const exchangeParts: ExchangeParts = {
  loaded: null,
  async load() {
    const [{ BrowserExchanges }, { pageWorld }] = await Promise.all([
      import('@/lib/exchange/client/browser-exchanges'),
      import('@/lib/exchange/client/page-world'),
    ])
    exchangeParts.loaded = { BrowserExchanges, pageWorld }
  },
}
