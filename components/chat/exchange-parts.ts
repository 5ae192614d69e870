import type { BrowserExchanges } from '@/lib/exchange/client/browser-exchanges'
import type { ExchangeWorld } from '@/lib/exchange/client/page-world'

interface ExchangeParts {
  /** What runs exchanges, once it is there. */
  brought: { readonly BrowserExchanges: typeof BrowserExchanges; readonly pageWorld: ExchangeWorld } | null
  /** Fetches it. */
  bring: () => Promise<unknown>
}

/**
 * The code that asks has with it what runs exchanges, and in the chat brings it along. The bundler would fetch it a
 * second time for whoever imports it by itself, as other pages do, and without a network there is no second time:
 * a question that is stored has to be sent, or to wait.
 */
export const exchangeParts: ExchangeParts = {
  brought: null,
  async bring() {
    const [{ BrowserExchanges }, { pageWorld }] = await Promise.all([
      import('@/lib/exchange/client/browser-exchanges'),
      import('@/lib/exchange/client/page-world'),
    ])
    exchangeParts.brought = { BrowserExchanges, pageWorld }
  },
}
