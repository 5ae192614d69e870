/**
 * Runs inline before anything is drawn, so it is written out as plain text: an explicit light or dark in
 * the stored settings goes to `data-theme`, anything else leaves the choice to the system.
 */
export const THEME_SCRIPT = `try{var t=JSON.parse(localStorage.getItem("settings")||"{}").theme;if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch(e){}`
