// An open seat becomes the visitor's.

import { request, store, stored } from "./dom.js";

const name = document.getElementById("name");
name.value = stored("name", "");
name.focus();
document.getElementById("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  store("name", name.value);
  try {
    const { token } = await request("/api/join", { invitation: location.hash.slice(1), name: name.value });
    location.replace(`/table#${token}`);
  } catch (error) {
    document.getElementById("error").textContent = error.message;
  }
});
