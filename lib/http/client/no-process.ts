/** What browsers have of Node's `process`; Next brings a whole imitation of it otherwise. */
const noProcess = { env: {} }

export default noProcess
