/**
 * Every key of this product in local and session storage; lib/local/README.md describes their contents. `settings`,
 * `credit_id`, `maxContext` and `virtual_api_key` are the specification's names; renaming a key would lose what people
 * have stored.
 */
export const CONVERSATION_HISTORY_KEY = 'conversationHistory'
export const SELECTED_CONVERSATION_KEY = 'selectedConversation'
export const REMOVED_CONVERSATIONS_KEY = 'removedConversations'
export const MIGRATIONS_VERSION_KEY = 'migrationsVersion'
export const SETTINGS_KEY = 'settings'
export const CREDIT_ID_KEY = 'credit_id'
export const MAX_CONTEXT_KEY = 'maxContext'
/** Prompts and presets: see lib/local/prompts. */
export const PROMPTS_KEY = 'prompts'
/** The instructions sent before every chat. */
export const INSTRUCTIONS_KEY = 'instructions'
/** What a message and a conversation may cost without asking. */
export const SPENDING_LIMITS_KEY = 'spendingLimits'
export const UTM_KEY = 'utm'
export const VIRTUAL_API_KEY_KEY = 'virtual_api_key'
/** The credit that replaces a leaked one: see lib/local/credit-replacement. */
export const CREDIT_REPLACEMENT_KEY = 'creditReplacement'
/** Whoever has these can spend the money. */
export const CREDIT_KEYS = [CREDIT_ID_KEY, VIRTUAL_API_KEY_KEY, CREDIT_REPLACEMENT_KEY]
/** Answers in progress, with keys that open the server's transcript: see lib/exchange/client. */
export const PENDING_EXCHANGES_KEY = 'pendingExchanges'
/** Messages that wait for the answer before them: see components/chat/queue. */
export const QUEUED_MESSAGES_KEY = 'queuedMessages'
/** The files of unsent messages, which are in session storage: see lib/local/draft-files. */
export const DRAFT_FILES_KEY = 'draftFiles'
/** The answer to continue when a payment has arrived: see components/chat/paused. */
export const CONTINUE_WISH_KEY = 'continueWhenPaid'
/** The connection to the person's own wallet, sealed: see lib/local/wallet. */
export const WALLET_CONNECTION_KEY = 'walletConnection'
/** What that wallet may pay by itself, and each payment in progress. */
export const WALLET_TOP_UPS_KEY = 'walletTopUps'
/** The origin of the analytics frame that the person has allowed; preceded by `no ` if refused. */
export const ANALYTICS_CONSENT_KEY = 'analyticsConsent'
/** `off` if keys that type a character are not shortcuts. */
export const PLAIN_KEYS_KEY = 'plainKeys'
/** Favourite models, and those chosen recently: see lib/local/model-choices. */
export const MODEL_CHOICES_KEY = 'modelChoices'
/** The model that was chosen last, for a new chat. */
export const SELECTED_MODEL_KEY = 'selectedModel'
/** The last known balance, for when it cannot be requested. */
export const LAST_BALANCE_KEY = 'lastBalance'
/** The offer to save a copy of the credit is made once per browser, when the first money arrives. */
export const CARRY_OFFERED_KEY = 'carryOffered'

/** Session storage: the conversation that this tab shows, so that a reload returns to it. */
export const TAB_SELECTION_KEY = 'selectedConversationId'
/** Session storage: the unsent text in this tab's composers. */
export const DRAFTS_KEY = 'drafts'
/** Session storage: the parameters of a chat that does not exist yet. */
export const NEW_CHAT_STEERING_KEY = 'newChatSteering'
/**
 * Session storage: the token of the opened refill link, for the return from a checkout, whose address has no fragment.
 */
export const REFILL_TOKEN_KEY = 'refillToken'
/** Session storage: the address that a sign-in code was mailed to, until the page is left. */
export const SIGN_IN_ADDRESS_KEY = 'signInAddress'
/** Session storage: this visitor was asked about analytics. */
export const ANALYTICS_ASKED_KEY = 'analyticsAsked'
/** Session storage: this tab was told that the storage is nearly full. */
export const STORAGE_WARNED_KEY = 'storageWarned'
/** Session storage: everything was just deleted, which the reloaded page has to announce. */
export const EVERYTHING_DELETED_KEY = 'everythingDeleted'
