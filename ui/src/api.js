// Asking the server; the token, if one is needed, lives as long as the tab.

const KEY = "spangraph-token";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const setToken = (token) => sessionStorage.setItem(KEY, token);

export async function ask(what, query = {}, signal = undefined) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== "" && value !== undefined) search.set(key, value);
  }
  const token = sessionStorage.getItem(KEY);
  let response;
  try {
    response = await fetch(`/api/v1/${what}?${search}`, {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer. Is spangraph serve running?");
  }
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, body.error ?? `The server answered ${response.status}.`);
  return body;
}
