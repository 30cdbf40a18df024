// An open seat becomes the visitor's.

import { request, store, stored } from "./dom.js";

const name = document.getElementById("name");
name.value = stored("name", "");
name.focus();
const invitation = location.hash.slice(1);
const mine = stored(`seat.${invitation}`, ""); // who opens the link of an evening again has their seat there
if (mine) location.replace(`/table#${mine}`);
document.getElementById("join").addEventListener("submit", async (event) => {
  event.preventDefault();
  store("name", name.value);
  try {
    const { token } = await request("/api/join", { invitation, name: name.value });
    store(`seat.${invitation}`, token);
    location.replace(`/table#${token}`);
  } catch (error) {
    document.getElementById("error").textContent = error.message;
  }
});
