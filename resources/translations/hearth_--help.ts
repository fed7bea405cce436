<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="--help" sourcelanguage="en">
<context>
    <name></name>
    <message>
        <source>code</source>
        <comment>Save the code</comment>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AboutDialog</name>
    <message>
        <source>About Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {version}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Talk to language models that run on your own machine. Nothing you type leaves it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built on llama.cpp and Qt. The typefaces are Inter and JetBrains Mono, under the SIL Open Font License.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AboutWithLicences</name>
    <message>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The licences of all that Hearth is made of</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rena&amp;me chat…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Delete chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answe&amp;r again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Co&amp;ntinue the last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit the last question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pre&amp;vious version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ne&amp;xt version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a pict&amp;ure…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A&amp;ttach a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Unload the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Write a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>S&amp;earch conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Jump to the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Hide or show the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wh&amp;at is in the context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Usual text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Co&amp;mmand palette…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a &amp;preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit presets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exp&amp;ort…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Back up everything…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a bac&amp;kup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the &amp;menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mo&amp;del</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Te&amp;xt size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AdapterList</name>
    <message>
        <source>Add an adapter…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a LoRA adapter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adapters (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adapters (LoRA)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Small files that teach this model a style or a subject. None is in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF file that was made from a LoRA adapter of this very model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AdapterRow</name>
    <message>
        <source>Take {adapter} off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scale of {adapter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 is as it was trained, 0 is without it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a number between {least} and {most}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Announcer</name>
    <message>
        <source>The model is reading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The answer is there, %n word(s).</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>AnswerView</name>
    <message>
        <source>What a tool gave</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer that is being written</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Answer, %n word(s)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Hearth was closed while this was being written; the rest is missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong here, and the answer ends early.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The limit on the answer&apos;s length was reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full: the answer ends here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Answering</name>
    <message>
        <source>The model has nothing to add.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ApiPage</name>
    <message>
        <source>Copy the address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs find the model at {address}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off: no program can use the model.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BackupDialog</name>
    <message>
        <source>Back up everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations, pictures, documents, presets and settings; no models.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything is in {name} ({size}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BlockSelection</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BlocksView</name>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CardView</name>
    <message>
        <source>Model card</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatController</name>
    <message>
        <source>The last run ended while an answer was being written. What had come is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An answer is being written here. Stop it first, or wait until it ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another answer is being written. Stop it first, or wait until it ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} (branch)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded. Choose one at the top of the window first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A picture</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatDoor</name>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The chat was archived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder “{name}” was deleted; its chats are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” was restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{title}” for good?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete everything in the trash for good, %n in all?</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatMenus</name>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back from the archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep warm on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model has read of this chat is kept for the next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the folder, keep its chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete for good…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Out of the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by time</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChatRowPainter</name>
    <message>
        <source>Name of the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You · {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer · {when}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CodeBlock</name>
    <message>
        <source>Wrap long lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the code as a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CodeText</name>
    <message>
        <source>Code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type what you want to do, or the title of a chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Composer</name>
    <message>
        <source>Find it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add pictures or files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send when the answer ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message {model}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (sent when the answer ends)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (Ctrl+Enter to send)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>  (Enter to send, Shift+Enter for a new line)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message goes as soon as its pictures are read…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message goes as soon as its files are read…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach a file…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextGauge</name>
    <message>
        <source>{used} of {size} tokens are used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is nearly full.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context: {told}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} · full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} · nearly full</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextPopover</name>
    <message>
        <source>Context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{warm} entries are warm.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is warm yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{warm} entries are warm; sending this would read {read}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model needs none: it can go back to any place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None has been taken yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One, at {places}; it takes {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}, the last at {places}; they take {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}, at {places}; they take {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop and say so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop the oldest turns, keep the system prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop the middle, keep the first turns and the last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the context is full</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConversationModel</name>
    <message numerus="yes">
        <source>Archived (%n)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Folder, %n inside</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm: what the model has read of it is in memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm: what the model has read of it is kept on disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CopyButton</name>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DetailsDialog</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscoverFilters</name>
    <message>
        <source>Search Hugging Face: name, maker or subject</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sound</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size, in parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Up to 4B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>4B to 15B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>15B to 40B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Over 40B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any number of likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>10 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>100 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1,000 likes or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Popular now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed last</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscoverPage</name>
    <message>
        <source>Models on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Update the list of good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetches it from the address in the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>‹ Back to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list (Alt+Left)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what is here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was found. Try fewer words or filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Popular on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentChip</name>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading, {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>≈ {n} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File {place} of {count}: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter shows the text, Delete removes the file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}, remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it into the field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A file without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model has counted the tokens yet: the number is reckoned.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentChips</name>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, {size}: show the text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentDesk</name>
    <message>
        <source>{name}, page {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message takes at most {count} files; send these first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be read because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A page could not be drawn. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentDialog</name>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is what the model reads of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the document</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DocumentTray</name>
    <message>
        <source>Files of this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadChip</name>
    <message>
        <source>↓ {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads: {percent}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadRow</name>
    <message>
        <source>Pause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is there stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From where it stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that are gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asks what to do with what is there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes it off this list; the file stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadsDoor</name>
    <message>
        <source>{name} stopped. {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is on this computer now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DownloadsPage</name>
    <message>
        <source>Nothing is being fetched. Find a model under Discover; here you see how far it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discover models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For what is fetched from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the shared folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The one of Hugging Face, which other programs find models in as well</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to {folder}, which other programs use as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} is free there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder for models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What shall become of the {size} of {name} that are here?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is kept is not fetched again if you want the model later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave it paused</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DraftMeter</name>
    <message>
        <source>{n} of {left} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>≈ {n} of {left} left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message takes {n} tokens, and {left} of {n_ctx} are left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message takes about {n} tokens, and {left} of {n_ctx} are left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Little room stays for the answer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message is too long for the model&apos;s context: shorten it, or load the model with a larger one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This message does not fit: shorten it, begin a new chat, or let older messages be left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The oldest messages will be left out, so that this one fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Messages in the middle of the chat will be left out, so that this one fits.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DraftersPanel</name>
    <message>
        <source>Drafters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model to see here what it can draft with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. This model keeps nothing between words, so no draft can be checked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. This model has a head that could be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. The chosen file is a head, and works as MTP.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off. No draft model is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is drafted for this model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is drafted: checking a draft gives slightly other numbers on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With drafts: {sameness}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts have at most {count} tokens for that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model can&apos;t simply go back, so a wrong draft costs more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExchangeDoor</name>
    <message>
        <source>Import conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth, ChatGPT, LM Studio (*.json *.zip)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups (*{ending})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conversation is in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations are in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All conversations ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With what the model thought before it answered</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text that any editor shows. Pictures lie in a folder beside it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One text for each conversation, with their pictures, in one zip file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page with everything in it, for any browser, light or dark.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page for each conversation and a list of them, in one zip file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages to read or to print.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Complete, with all versions, pictures and figures. Hearth can import it again, here or elsewhere.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FiguresButton</name>
    <message>
        <source>Figures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figures of the answer: {line}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FiguresSheet</name>
    <message>
        <source>Figures of the answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy figures</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FileDoor</name>
    <message>
        <source>One model is open at a time, so only {name} was opened.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is a folder; open the files in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is not there any more, or can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FileRow</name>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a context of {context} it takes about {wanted}, and {free} is free now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a context of {context} it would fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is an estimate.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is on this computer already: {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{percent} %</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous hit (Shift+Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next hit (Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FitPanel</name>
    <message>
        <source>Show the numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory in numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This would fit:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No other setting makes it fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits: with a context of {context} it takes about {wanted} of the {free} that is free in {where}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tight: with a context of {context} it takes about {wanted} of the {free} that is free in {where}. It fits if nothing else wants memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too large: with a context of {context} it takes about {wanted}, and {free} is free in {where}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projector (mmproj)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints, at most</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sets this and loads the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context of {context}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache as {type}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no layers on the graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} layers on the graphics card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide the numbers</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldHead</name>
    <message>
        <source>Open or close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FoldersButton</name>
    <message>
        <source>Folders…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer look in {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder with models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>Show the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HereView</name>
    <message>
        <source>It is on this computer and works without a network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load it and talk to it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat with {model}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImageTray</name>
    <message>
        <source>Pictures of this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring those too, as copies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation was imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} conversations were imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing the conversations…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no conversation in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation with one message, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One conversation with {messages} messages, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{conversations} conversations with {messages} messages, from {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of that is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One of them is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of them are here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one without a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} without a message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one that is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} that are damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left out: {reasons}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JobDialog</name>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That failed because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LicencesDialog</name>
    <message>
        <source>Licences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth is under the MIT licence. It is made with these parts, under terms of their own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search by name or licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The parts that Hearth is made of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the web page of this part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No part has such a name or licence.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text can&apos;t be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This part did not bring the text of its licence along; its web page has it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LinkDialog</name>
    <message>
        <source>Open a link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open this address in your browser?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Open a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” was moved to the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last answer was copied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MemoryPanel</name>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load a model to see here how much memory it would take with these settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at most {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size}, with {draft} for drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{part}: {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes at most {total}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes about {total}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This does not fit: it takes up to {total}, and {room} is free for it. A smaller context, or q8_0 as KV cache type, takes less.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes at most {total} of the {room} that is free for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes about {total} of the {room} that is free for it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageDoor</name>
    <message>
        <source>The message was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message was deleted, and what came after it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageEdit</name>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageEditor</name>
    <message>
        <source>Edit message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save (Ctrl+Enter)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MessageTools</name>
    <message>
        <source>Continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue the answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelDetails</name>
    <message>
        <source>Chat with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loads it for the conversation on screen, which stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} in {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you, in a folder of yours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projector</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Called</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trained with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} tokens of context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Licence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advised sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has none; ChatML stands in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>see pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>call tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reason first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>guess further words itself (MTP)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A projector (mmproj): it lets a model see or hear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A draft: it guesses ahead for another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An adapter (LoRA): it changes another model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It makes vectors of texts, and can&apos;t chat</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelEdit</name>
    <message>
        <source>None</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} · {size} · suggested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} · {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file of a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelExtras</name>
    <message>
        <source>Remove the star</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Give it a star: such models come first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not used yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last used {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notes about this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For yourself: no model is shown them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is it good for?</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPage</name>
    <message>
        <source>Set for {model} alone, under Models: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelPicker</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} · unloaded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nobody has used it for a while, so its memory is free. It loads when you write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying {model}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading {model}… {percent} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comes with Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models… ({count} more)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unload the model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discover</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsEmpty</name>
    <message>
        <source>Find a model to download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a folder with models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing here is like that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search for another word, or list all files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In Hearth&apos;s own folder and in those of other programs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no model on this computer yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth looks where LM Studio, Ollama, Jan, GPT4All, llama.cpp and Hugging Face keep theirs, and in folders that you name. A file that is there already is never copied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsList</name>
    <message>
        <source>loaded</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That fit now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That see pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That call tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Damaged files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Companions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What fits first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which models are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name, architecture, quantisation, program or ability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State of the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} shown, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} of memory free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking: {done} of {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ModelsView</name>
    <message>
        <source>Models</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OwnSettings</name>
    <message>
        <source>As for all models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set for this model alone: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is set for this model alone: it is used as all others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} ({count} set)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was loaded otherwise than it would be now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear everything that is set for this model alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load the model with these settings. The conversation stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} of this model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open or close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PaletteDoor</name>
    <message>
        <source>Theme: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureDesk</name>
    <message>
        <source>{model} can&apos;t see pictures: there is no mmproj file with it. Find that file, or choose a model that sees.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A message takes at most {count} pictures; send these first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture could not be read because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} could not be read because of a fault in Hearth. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureDoor</name>
    <message>
        <source>Add pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures ({patterns})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the mmproj file of {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmproj files (*mmproj*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Models (*.gguf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture was copied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is missing: its file is gone from Hearth&apos;s folder.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureDrops</name>
    <message>
        <source>Drop to add the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to add {count} pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach {count} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to attach {count} pictures and files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop to put the text into the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hearth fetches nothing from the net: save the picture first, then add its file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no picture in this.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureShelf</name>
    <message>
        <source>The picture could not be saved. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture could not be shown. The log tells more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureTile</name>
    <message>
        <source>picture without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture {place} of {count}: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{picture}, remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is being read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model is looking at it already</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureView</name>
    <message>
        <source>&amp;Enlarge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without a name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture: {name}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PictureViewer</name>
    <message>
        <source>Picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetButton</name>
    <message>
        <source>Preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preset: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: this conversation&apos;s system prompt and sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a preset: a system prompt, sampling and thinking</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetDialog</name>
    <message>
        <source>A preset is a system prompt with sampling and thinking of its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The preset is in {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets (*{ending})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring in a preset from a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the preset to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring back what was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the changes and close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetForm</name>
    <message>
        <source>As the model does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Think</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don&apos;t think</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model is told first. Left empty, the general one holds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that can think before they answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New conversations begin with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PresetPopover</name>
    <message>
        <source>Presets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit presets…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a preset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a part of the name, and press Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make, change, and share presets</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PrintJobDialog</name>
    <message>
        <source>Print</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Painting the pages…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProblemBox</name>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProseView</name>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the link&apos;s address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueueCard</name>
    <message>
        <source>Change this message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take this message out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} attachments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting message {place} of {count}: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter changes it, Delete takes it out, Alt with the arrow keys moves it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueueCards</name>
    <message>
        <source>Send now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send the waiting messages now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer was stopped; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer failed; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The context is full; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first could not be sent; these wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These were not sent before Hearth was closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent one by one, as each answer ends.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReasoningView</name>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking… {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thought</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} words</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RemoveDialog</name>
    <message>
        <source>Remove a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move {name} to the trash?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Emptying the trash then frees {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These are {count} files; emptying the trash then frees {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is loaded now, and is unloaded first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RepoFiles</name>
    <message>
        <source>Show fewer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all {count} files</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RepoView</name>
    <message>
        <source>Repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetch what lets it see as well</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model card</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model on the left to see its files and what they need.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asking Hugging Face…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no GGUF file in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gated: its makers want to know who takes it. Accept the terms on its page, and enter a token here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a download comes what lets the model see: {name}, {size}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RestoreDialog</name>
    <message>
        <source>Restore a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don&apos;t restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close Hearth now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup of {when} is sound: {conversations} conversations with {messages} messages.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It takes the place of what is here when Hearth starts next. What is here now is kept as a backup of its own, and can be restored in the same way.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SamplingPage</name>
    <message>
        <source>These hold wherever nothing else is set for a model or a conversation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is set here holds for {model}, in every conversation. Where you have set nothing, its file&apos;s own advice stands, if it has any.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is set here holds for the open conversation alone, and wins over all else.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This conversation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingField</name>
    <message>
        <source>Takes effect when the model is loaded again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inherited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear {label}, and use {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset {label} to {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {least} to {most}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsDialog</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OK</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>General</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How a model is loaded, and what it may take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some models cannot simply go back in a conversation (sliding windows, recurrent layers). For these, places to return to are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a model has read of a conversation is kept, so that coming back to it costs nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that see. A picture is looked at once, and what came of it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the next word is chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speculative decoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Several tokens are guessed cheaply (drafted) and checked at once. Each one is still the model&apos;s own choice; where drafts would not make it faster, there are none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Library</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where models are found, beside the folders of the programs that Hearth knows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local API</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other programs can use the model that is loaded here, as they would use OpenAI&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply loads the model again. The conversation stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer that is being written stops.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsForm</name>
    <message>
        <source>Advanced ({count})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advanced settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New line in the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sidebar</name>
    <message>
        <source>New chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Trash (%n)</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>The trash is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Older messages are still being read: %n to go.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searches titles and everything that was said. Words in quotes stay together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide the sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted: {age}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In messages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pinned</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Titles</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{month} {year}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SnapshotsPage</name>
    <message>
        <source>Empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove what is kept of all conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held now: {memory} in memory, {disk} on disk.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpeculationPage</name>
    <message>
        <source>Set for {model} alone, under Models: {settings}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TemplateDialog</name>
    <message>
        <source>Chat template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat template of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TokenDialog</name>
    <message>
        <source>Hugging Face token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some makers give their models only to people who have accepted their terms. Accept them on the model&apos;s page, make a token that may read, and enter it here. It is kept in this computer&apos;s keyring and sent to the hub alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A token of Hugging Face; they begin with hf_</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a token…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens its page on Hugging Face</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removes it from the keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts it into the keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ToolCallView</name>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tool call</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answered</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>Conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is more: jump to the end</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TrashBar</name>
    <message>
        <source>Back to the conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty the trash…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete everything in the trash for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>After %n days here, chats are deleted for good.</source>
        <translation type="unfinished">
            <numerusform></numerusform>
        </translation>
    </message>
</context>
<context>
    <name>UserView</name>
    <message>
        <source>Your message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VersionPager</name>
    <message>
        <source>Previous version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {number} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>VisitorChip</name>
    <message>
        <source>Stop them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{who}: answering through the local API</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Loading the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Get a model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows good models for this computer, and fetches the one that you choose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a model file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A GGUF file that is on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Welcome to Hearth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The guide is ready: a very small model that comes with Hearth. It knows the program and sees simple pictures, and not much else. For everything else get a larger model. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is on your mind?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} is ready, with room for {size} tokens. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model} was not used for a while, so its memory is free. It loads again when you write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Talk to a language model that runs on this machine. Get one to begin, or choose a GGUF file that you have. Nothing you write leaves this machine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trying the file first, as it is new on this machine…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the model into memory…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Making room for the conversation…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What can you do?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How do I get a larger model?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Is it private?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask: {question}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WritingDoor</name>
    <message>
        <source>Attach files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF files (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text files (*.txt *.md)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The long text was attached as a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it into the field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of pages and no text; a model that sees could be shown them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of {n} pages and no text; the first {most} can be added as pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} holds pictures of {n} pages and no text; they can be added as pictures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add the pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The message was taken out of the queue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Overlay</name>
    <message>
        <source>Drop files here</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>box</name>
    <message>
        <source>Delete for good</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot be undone.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>code</name>
    <message>
        <source>{path} could not be written: {reason}. Choose another place.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the code</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>discover</name>
    <message>
        <source>For computers with more memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gated</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Good models for this computer, which has {size} free</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger ones that fit, and answer more slowly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pictures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>drafting</name>
    <message>
        <source>MTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>identical output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n-gram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs of {run}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same distribution; wording may differ by rounding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{drafters}: {share}% accepted</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>figures</name>
    <message>
        <source>Answer: {answer}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts ({drafters}): {drafted} tokens, {accepted} of them accepted, {run} tokens a round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts: off. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at picture {number} of {count}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at the picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model: {model}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt: {warm} tokens reused, {read} read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading {read} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasoning: {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sampler: {sampler}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed: {seed}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With drafts: about {gain} times as fast as without, as estimated; {sameness}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reused {reused}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} GiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} KiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{speed} tok/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{used} / {size} tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{written} tokens</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>hub</name>
    <message>
        <source>1 minute left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for its turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>context {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a minute left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more than two days left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the connection broke off; it goes on in {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} downloads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} hours left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} likes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} minutes left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} a second</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>main memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LoRA</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MTP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Too large</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hears</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmproj</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reasoning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sees</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} parts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder of yours. Empty is the folder of Hugging Face, which other programs use as well.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A guess ends before a token that the guessing model finds less likely than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A much smaller model with the same vocabulary that guesses for this one. Empty is none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A phrase does not run on past these.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A picture is encoded as soon as it is added, so that the answer begins sooner.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An https address where a newer list can be had, of whomever you trust. Empty is the list of this version.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Anybody in your network who has the key can use the model. Needs a key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applies once to every token that was used. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints that are not at a message keep at least this far apart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among the likeliest tokens that together reach this probability. 1 means all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose among this many of the likeliest tokens. 0 means all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computes attention with less memory; needed for a quantised V cache.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Context size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY allowed length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY multiplier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY sequence breakers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DRY window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloads go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic temperature exponent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dynamic temperature range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoded pictures are kept in memory, so that none is encoded twice. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoded pictures are kept on disk too, for the next start. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fewest tokens per guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders of yours. Models are found in them and in whatever is below them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For models that were trained to predict several tokens (MTP). Takes memory for one more layer or two.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Free the memory when idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Frequency penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full-size sliding-window cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grows with each use of a token. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guess from the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guess with the model&apos;s own head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Guesses stay so short that checking them gives the very numbers of plain decoding, or are left out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How adventurous the choice of words is. 0 always takes the likeliest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How fast Mirostat corrects itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How fast the DRY penalty grows with the length of the phrase.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How keys are kept. q8_0 halves their memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How keys of the draft model, or of the model&apos;s own head, are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How long nothing must have been asked before a conversation is written to disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many layers are kept on the graphics card. -1 takes as many as there are, 0 none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many of the last tokens DRY looks at. 0 is off, -1 the whole context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many of the last tokens the penalties look at. 0 is off, -1 the whole context.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many places in a conversation such a model can return to without reading it all again. 0 is none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are computed at once while the model reads. Smaller stops sooner.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many tokens are handed to the model at once while it reads.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much of a conversation the model can look at. 0 is as much as it was trained with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often the likeliest choices are left out, for variety. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the certainty maps to the temperature.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How values are kept. Quantised types need flash attention.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image detail</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type K</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type K of the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache type V of the draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep conversations warm on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps every cell of sliding-window layers: more memory, and any edit resumes where it was made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the surprise of the text constant, instead of top-k, top-p and so on. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens less likely than this share of the likeliest one. 0 leaves out none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out tokens whose logit is more than this many standard deviations below the best. -1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let other programs on this computer use the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the model title chats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light, dark, or as the system says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List of good models</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locally typical sampling. 1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Long text becomes an attachment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at pictures while you write</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Makes tokens that were used lately less likely. 1 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory for other conversations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batch size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mirostat target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens from the conversation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens per guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Motion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is kept before this much has been read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of everything in the window. Ctrl+Plus and Ctrl+Minus change it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the model&apos;s own head or of a draft model. Fewer are guessed where that is faster.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One is taken each time this much was read or written, while it costs little. 0 takes them at messages alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only tokens at least this likely are left out by XTC. Above 0.5 XTC is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other computers in the network too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text of more characters than this, or of more than 60 lines, is attached as a file. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Penalty window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phrases up to this length may repeat freely.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture cache on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Presence penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor threads for the model. 0 takes the number of real cores, less one for the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced: nothing on screen moves or blinks by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorter guesses of the model&apos;s own head or of a draft model are not checked at all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest gap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest probability of a guess</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smallest prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strength of the penalty on repeated phrases. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The answer stops after this many tokens. 0 lets it use the room that the context has.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file that was loaded last; it is loaded again at the start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The filters leave at least this many tokens to choose from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The longest guess from what was written before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The micro-batch cannot be larger than the batch, which is {size} tokens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model is unloaded when nobody has used it for so long, and loads again when you ask it something. 0 keeps it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that all checkpoints together may take. It wins over the number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that all of it may take. What was used longest ago goes first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that one picture may take of the context, for models that let this be chosen. More shows finer detail and takes longer. 0 leaves it to the model.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The origin of a page, such as https://example.org, whose scripts may ask the model. Empty allows none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed, prompt and settings give the same answer. -1 draws a new one each time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The surprise that Mirostat aims at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The temperature varies by this much with the certainty. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They ask the model that is loaded here, in OpenAI&apos;s manner, and wait while it answers you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-n-sigma</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Typical-p</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page that may use it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a conversation had read is kept when another one is opened, and brought back in an instant. 0 is off.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a program has to send as its API key. Empty asks for none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What every conversation tells the model first. May be empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the model has read is kept for the next start, for you alone. Switching this off removes what is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was written before is guessed to come again, as when code or text is revised.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When it has nothing else to do. A title that you typed is never replaced.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the programs find it. Choose another one where this is in use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With Enter, Shift+Enter begins a new line; with Ctrl+Enter, Enter alone does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a number, such as {example}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a whole number, such as {example}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>XTC probability</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>XTC threshold</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{escape} means nothing here: write \n, \t, \r, \\ or \u0000.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{type} values need flash attention: turn it on or to automatic, or choose f32, f16 or bf16 here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>view</name>
    <message>
        <source>Waiting for the model…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at picture {number} of {count}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at the picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>less than a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
